"""A small POSIX shell for the virtual phone. It never touches the host: no processes, no host files."""
