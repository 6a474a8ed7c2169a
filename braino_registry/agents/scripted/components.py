"""The pipeline about ICA."""

from __future__ import annotations

from braino_registry.agents.scripted.desk import Desk


def ica(desk: Desk) -> None:
    """Decompose, propose the components that look like eye movements, and take out what may go."""
    view = desk.recording
    pair = [name for name in desk.info["ch_names"] if name in desk.channels][:2]
    spans = desk.request.spans("Hz")
    fitted = desk.run("ica.fit", view=view)["ica"]
    scores = desk.run("ica.scores", ica=fitted)
    proposal = {
        "components": scores["ocular"],
        "decomposition": fitted,
        "recording": desk.recording,
    }
    ruling = desk.consent("exclude-components", proposal, "They follow the eyes.")
    out = list(ruling.applied.get("components", []))
    clean = view
    if out:
        clean = desk.run("ica.apply", view=view, ica=fitted, exclude=out)["view"]
        desk.remarks.append(f"Excluded components: {', '.join(map(str, out))}.")
    if spans and len(pair) == 2 and desk.request.says("coherence"):
        low, high = spans[0]
        for stage, data in (("before", view), ("after", clean)):
            found = desk.run(
                "spectrum.coherence",
                view=data,
                channel_a=pair[0],
                channel_b=pair[1],
                fmin=low,
                fmax=high,
            )
            desk.note(f"coherence {stage}", found["coherence"], "1")
    elif spans and pair:
        low, high = spans[0]
        args = {"channels": pair[:1], "fmin": low, "fmax": high}
        found = desk.run("spectrum.band_power", view=clean, **args)
        desk.note("delta power", found["absolute_uv2"], "µV²")
