"""x"""
from pathlib import Path
PUBLISHED=Path(__file__).parent/"published.yaml"
