"""What tests need to know of each game that has a literal implementation: one module each."""

from subjects import maui, sea_or_shore, strand_unter

SUBJECTS = {subject.game.name: subject for subject in (strand_unter.SUBJECT, maui.SUBJECT, sea_or_shore.SUBJECT)}
