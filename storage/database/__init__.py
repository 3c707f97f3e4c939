"""Engines, transactions, schema and copies of the database."""
