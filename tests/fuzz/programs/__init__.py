"""Programs that run on a CPU, each with something to fix and something in the way, at random.

Each form is a piece of a program with holes: `$word` is filled with a form of that kind, on a line
of its own with a block. The names are always the same ones, `device`, `model`, `args`, `x`, so that
pieces get in each other's way: what one deletes, binds anew or shadows, the fix of another one
might use. `calls` is printed at the end, so that what is called once more shows.

`forms` says how forms are written and `author` puts programs together; the other files hold the
forms, by what they are about.
"""
