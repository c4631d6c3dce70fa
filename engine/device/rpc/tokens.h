/// What clients must know. A line that is taken out of the file is a client that is let in no more.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/rpc/token_file.h"
#include "engine/support/base/error.h"

namespace tw {

class Tokens {
public:
  /// Errors: bad_token (a line that cannot be used, none at all), those of read_file.
  static Result<std::shared_ptr<Tokens>> read(std::filesystem::path const& file);
  /// A new one for the clients of this user on this machine; see `own_token_file`.
  static Result<std::shared_ptr<Tokens>> make_own(int port);
  ~Tokens();
  Tokens(Tokens const&) = delete;

  /// The client's name; none: it is not known, or no more. The file is read again when it changed.
  std::optional<std::string> client_of(std::string_view token);

private:
  struct Version {
    std::filesystem::file_time_type time;
    uintmax_t bytes = 0;
    uint64_t inode = 0;
    bool operator==(Version const&) const = default;
  };

  explicit Tokens(std::filesystem::path file) : file_(std::move(file)) {}
  std::optional<Version> version() const;

  std::filesystem::path file_;
  bool own_ = false;  ///< goes with this value
  std::mutex mutex_;
  std::vector<TokenEntry> entries_;
  std::optional<Version> read_;
};

/// Where a device on this machine leaves a token for the programs of its own user; empty: there is
/// no place that is this user's alone.
std::filesystem::path own_token_file(int port);
/// What is there; empty: none that this user can trust.
std::string own_token(int port);

}  // namespace tw
