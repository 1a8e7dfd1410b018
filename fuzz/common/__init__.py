"""What the targets share: choices out of bytes, texts and packs out of choices, and the session of Atheris."""
