"""What an agent can call: typed functions over recordings and analyses, one module per family.

A tool is a function with :func:`braino_registry.tools.decorator.tool`; its argument schema, its
description and its result schema come from its signature and docstring. Tools never write data.
"""
