"""Whole nights: the order of stages, and what each stage looks like."""
