"""Values carried over what is not known, by the value that they all have."""

import numpy as np
import pytest

from enhance.membrane import spread


@pytest.mark.parametrize(("height", "width"), [(1, 1), (3, 200), (76, 63), (300, 40)])
def test_one_known_pixel_is_enough_for_the_whole_picture(height: int, width: int) -> None:
    known = np.zeros((height, width), bool)
    known[-1, 0] = True
    np.testing.assert_allclose(spread(np.full((height, width, 3), 200, np.float32), known), 200, atol=0.01)


def test_where_nothing_is_known_all_is_0() -> None:
    assert not spread(np.full((40, 40, 3), 200, np.float32), np.zeros((40, 40), bool)).any()
