"""The language server: what editors are told while somebody writes.

`connection` runs it over pipes and `language_server` says what it can do; `rounds` has the open
documents analysed when they change. The analysis is done in a process of its own (`bench`), which
may hang or die; `work` is what is done there, and knows nothing of the protocol. Only this room
imports pygls, which is the extra `lsp`.
"""
