// SwiftPM wants a file to compile. The functions are those of CuelightC.
#include "cuelight.h"
