"""Drawing: pictures of games as SVG and pixels alike, and the look of plots."""
