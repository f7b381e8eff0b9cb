"""What the analysis knows of the expressions of a file: where values live, and how that is known.

One typed answer for all who ask: `Knowledge` is of a file, `Known` of an expression in it, a
`Trail` leads from there to where the value comes from.
"""
