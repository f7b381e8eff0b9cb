"""Work that is shared out among processes, of which any may hang or die.

Nothing here knows what the work is about.
"""
