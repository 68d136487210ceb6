"""What each model spends on a frame: the switches between `fast`, `balanced` and `studio`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """side: mouths of up to side x side pixels are lent as the frame had them, larger ones are reduced. density: pixels
    per S of the inside of the mouth that is merged from them, at most. occlusion: what covers the mouth is looked for in every
    frame, not only where the mouth is strange; it stays in front. grain: noise and sharpness are matched to the source.
    fine_mask: no pixel is touched that the motion does not need.
    """

    side: int = 160
    density: float = 128
    occlusion: bool = False
    grain: bool = False
    fine_mask: bool = False


QUALITIES = {
    "fast": Quality(),
    "balanced": Quality(side=256, density=192),
    "studio": Quality(side=640, density=400, occlusion=True, grain=True, fine_mask=True),
}


def quality_named(name: str) -> Quality:
    """Raises ValueError for an unknown name."""
    if name not in QUALITIES:
        raise ValueError(f"expected a quality among {', '.join(QUALITIES)}, got {name!r}")
    return QUALITIES[name]
