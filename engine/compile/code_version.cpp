#include "engine/compile/code_version.h"

#include "engine/compile/source_hash.h"

namespace tw {

char const* const kProductVersion = TW_PRODUCT_VERSION;

std::string code_version() { return std::string(kProductVersion) + " " + TW_SOURCE_HASH; }

}  // namespace tw
