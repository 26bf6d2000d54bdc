"""Data sets in the formats of trainers, one file a format."""

from emulator_farm.learning.export.llamafactory import export_llamafactory
from emulator_farm.learning.export.parquet import export_parquet
from emulator_farm.learning.export.selection import ExportSummary

__all__ = ["ExportSummary", "export_llamafactory", "export_parquet"]
