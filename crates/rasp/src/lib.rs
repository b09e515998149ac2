//! RASP: the language, its interpreter with a trace, the depth and width analysis, the constructions.
