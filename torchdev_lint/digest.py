"""Numbers that tell contents apart."""

from __future__ import annotations

try:  # hashlib imports the system's OpenSSL besides, which takes longer than any other import
    from _blake2 import blake2b
except ImportError:  # another Python
    from hashlib import blake2b

__all__ = ["blake2b"]
