"""Connections: address checks, TLS and their errors."""
