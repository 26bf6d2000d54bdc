"""uiautomator2's server, as it answers on a phone where `u2.jar` runs: `app_process` starts it, JSON-RPC drives it.

Method names, overloads, result shapes and error texts are those of the server inside uiautomator2 3.x; the tree that
selectors search is the one that `uiautomator dump` prints.
"""
