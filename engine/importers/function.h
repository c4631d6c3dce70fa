/// Operators that a format defines by others of its own: a node of one becomes the nodes of its
/// body.
#pragma once

#include <set>

#include "engine/importers/converter.h"

namespace tw {

/// The nodes that stand for one; without any it is the rule's own operator's. What they make on
/// the way is named after the node, as no value that `taken` holds. Errors: unsupported.
Result<std::vector<ForeignNode>> instantiate(Converter const& rule, ForeignContext const& context,
                                             std::string const& name, std::set<std::string>& taken);

}  // namespace tw
