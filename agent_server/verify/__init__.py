"""The self-check against shifted clicks: does a model server see the very image that coordinates are counted on?

`screens` are what is sent, `counting` sends it the way a decision is sent, `limits` works out which processor explains
the tokens that were counted, `examination` puts all of it into a `report`, `findings` says what is wrong with it, and
`guard` keeps servers unused until they pass.
"""
