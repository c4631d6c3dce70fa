/// Tensors that an importer does not read, as nodes of a foreign graph.
#pragma once

namespace tw {

/// The domain of a node that stands for such a tensor: it has an attribute "reason", and its
/// output's readers cannot be run. No file can name it: control characters are no part of names.
inline constexpr char kUnreadTensor[] = "\001unread";

}  // namespace tw
