"""Pictures of what is wrong with a schedule: a few lines of text, or a file.

Whatever is drawn is chosen first: the ranks that a violation marks, and the columns around.
"""

from reports.faults.excerpt import excerpt
from reports.faults.figure import fault_figure
from reports.faults.files import write_fault, write_faults
from reports.faults.focus import Times

__all__ = ["Times", "excerpt", "fault_figure", "write_fault", "write_faults"]
