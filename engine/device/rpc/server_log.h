/// What a server of devices says of its clients, line by line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tw {

/// What a line is about. Whoever makes one kind of line again and again hides none of another: each
/// has an allowance of its own where lines are written down.
enum class LogTopic : uint8_t {
  kServer,       ///< the server itself
  kConnections,  ///< who came, went, or was refused
  kWorkers,      ///< why a client's worker was ended
};
inline constexpr int kLogTopics = 3;

/// Called from any thread.
using ServerLog = std::function<void(LogTopic, std::string const&)>;

}  // namespace tw
