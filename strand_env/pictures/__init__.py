"""Drawing: a canvas for SVG and pixels, and the look of plots."""
