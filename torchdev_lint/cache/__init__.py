"""Results of earlier runs, kept as long as nothing has changed that they rest on.

`cache` is asked for a file's report and given one to keep. A report rests on what was `read` for
it; `disk` says what lies there now. `record` makes JSON of a report, and a report of nothing but
what has the shape of one; `store` reads and writes entries in a folder that `place` has found;
`tool` says what else decides what is found.
"""
