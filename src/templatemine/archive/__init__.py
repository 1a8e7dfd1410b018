"""Archives of any size in, a folder of packs out: resumable, incremental, in bounded memory."""
