"""Mining and cleaning inside other engines and libraries; each module needs the library that it is named after."""
