"""The science: pure functions, arrays in, numbers out.

Nothing here knows a file, a session or a task. Signals come in volts with the time axis last;
names of returned values carry their unit. Every quantity states its definition in its docstring,
because each has several in use that differ by percents to factors.
"""
