"""The routes of the HTTP interface, one file for each thing that can be asked."""
