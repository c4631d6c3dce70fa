/// The rows of a kernel table in an order and with words that somebody chose: what the window and
/// `tw kernels` do alike.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/kernel_times.h"
#include "engine/support/base/error.h"

namespace tw::session {

/// What kernels can be sorted by; all but the order of the model and the name can be a column.
enum class KernelKey : uint8_t {
  kModel,  ///< as the model runs them
  kName,
  kWork,
  kTime,
  kShare,
  kRoof,
  kCount,
  kBytes,
  kState,
  kBound,
  kOperators
};
struct KernelKeyInfo {
  KernelKey key;
  std::string name;   ///< "time", as journals, settings and options have it
  std::string title;  ///< of its column
  std::string doc;
  bool largest_first = false;
};
std::span<KernelKeyInfo const> kernel_keys();
KernelKeyInfo const& info_of(KernelKey key);
/// Errors: unknown_column.
Result<KernelKey> kernel_key(std::string_view name);

struct KernelOrder {
  KernelKey key = KernelKey::kModel;
  bool reversed = false;  ///< the other way round than is usual for the key
  bool operator==(KernelOrder const&) const = default;
};

/// Rows that have all these words, in that order; what is not known comes last. A word is looked
/// for in the name, the operators, the shape, the state and what bounds the kernel; with "op:",
/// "state:" or "bound:" before it there alone.
std::vector<int> chosen_rows(KernelTable const& table, KernelOrder order, std::string const& words);

/// "default", "hand".
std::string state_word(KernelState state);
/// What the kernel's roof is made of: "arithmetic" or a memory level; empty: not known.
std::string bound_word(KernelRow const& row);
/// Its part of the time of all kernels whose time is known.
struct KernelShare {
  double share = 0;
  bool at_most = false;  ///< some kernels have no time yet
};
std::optional<KernelShare> share_of(KernelTable const& table, KernelRow const& row);
/// The text of a share: "12 %", "≤ 12 %".
std::string share_text(KernelShare const& share);

}  // namespace tw::session
