"""Helpers: atomic writing of files, and imports of optional packages."""
