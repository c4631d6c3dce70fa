/// What a checked kernel complains about: the accesses that its code looks at, and the record it
/// leaves behind when one of them is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tw {

enum class CheckKind : uint8_t {
  kRead,       ///< an element outside of the tensor is read
  kWrite,      ///< an element outside of the tensor is written
  kUnwritten,  ///< what is computed with was never written
  kMissing,    ///< an element of an output that the kernel never wrote
};

/// One place of the lowered kernel that is checked.
struct CheckedAccess {
  CheckKind kind = CheckKind::kRead;
  std::string buffer;
  int64_t extent = 0;              ///< elements that may be touched
  int line = 0;                    ///< of the printed kernel, from 1; 0: no statement
  std::string statement;           ///< that line
  std::vector<std::string> loops;  ///< around it, outermost first; at most kMostReportedLoops
};

/// The record lies at the end of the workspace: 64-bit words, the number of the access plus one (0:
/// nothing was wrong), the element, then the variables of the loops.
inline constexpr int64_t kReportWords = 32;
inline constexpr int64_t kReportBytes = kReportWords * 8;
inline constexpr size_t kMostReportedLoops = kReportWords - 2;

/// What a checked kernel returns when an access is wrong.
inline constexpr int32_t kCheckFailed = 101;
/// Temporaries and outputs hold this in every 32-bit word until they are written: a NaN that no
/// arithmetic makes. Elements of one or two bytes are not looked at, such values may be real.
inline constexpr uint32_t kPoison = 0x7fc0dead;

/// "out of bounds read of X at 1024 of 1024, with o = 3, x = 7, in: Y[..] = X[..]"; empty when the
/// record names no access.
std::string describe_report(std::span<CheckedAccess const> accesses,
                            std::span<std::byte const> record);

}  // namespace tw
