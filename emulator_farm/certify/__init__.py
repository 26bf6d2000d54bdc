"""What holds on a phone: checks of the whole device layer, run on any phone it reaches, in a signed record."""
