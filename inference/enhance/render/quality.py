"""What each model spends on a frame: the switches between `fast`, `balanced` and `studio`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """lender: mouths of up to so many pixels squared are lent as the frame had them, larger ones made smaller; 0: none is lent.
    occlusion: what covers the mouth is looked for in every frame, not only where the mouth is strange; it stays in front.
    grain: noise and sharpness are matched to the source. fine_mask: no pixel is touched that the motion does not need.
    aligned: two lenders are mixed along the motion between them.
    """

    lender: int = 0
    occlusion: bool = False
    grain: bool = False
    fine_mask: bool = False
    aligned: bool = False

    @property
    def lending(self) -> bool:
        """Whether mouths of other frames are lent at all."""
        return self.lender > 0


QUALITIES = {
    "fast": Quality(),
    "balanced": Quality(lender=256),
    "studio": Quality(lender=640, occlusion=True, grain=True, fine_mask=True, aligned=True),
}


def quality_named(name: str) -> Quality:
    """Raises ValueError for an unknown name."""
    if name not in QUALITIES:
        raise ValueError(f"expected a quality among {', '.join(QUALITIES)}, got {name!r}")
    return QUALITIES[name]
