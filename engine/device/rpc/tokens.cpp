#include "engine/device/rpc/tokens.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "engine/support/files.h"

namespace tw {
namespace fs = std::filesystem;
namespace {

/// Takes as long wherever the two differ.
bool same_secret(std::string_view given, std::string_view right) {
  unsigned difference = given.size() == right.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i)
    difference |= unsigned(given[i]) ^ unsigned(right[i % right.size()]);
  return difference == 0;
}

/// A folder, or a file, of this user alone.
bool is_own(fs::path const& path, mode_t kind) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 && (facts.st_mode & S_IFMT) == kind &&
         facts.st_uid == geteuid() && (facts.st_mode & 077) == 0;
}

/// Empty where there is none.
fs::path own_folder() {
  std::error_code error;
  char const* run = std::getenv("XDG_RUNTIME_DIR");
  fs::path base =
      run && *run == '/' && is_own(run, S_IFDIR) ? fs::path(run) : fs::temp_directory_path(error);
  if (error) return {};
  fs::path folder = base / ("tilewright-" + std::to_string(geteuid()));
  mkdir(folder.c_str(), 0700);  // there already: then it must be ours
  return is_own(folder, S_IFDIR) ? folder : fs::path();
}

}  // namespace

std::optional<Tokens::Version> Tokens::version() const {
  struct stat facts {};
  std::error_code error;
  auto time = fs::last_write_time(file_, error);
  if (error || stat(file_.c_str(), &facts) != 0) return std::nullopt;
  return Version{time, uintmax_t(facts.st_size), facts.st_ino};
}

Result<std::shared_ptr<Tokens>> Tokens::read(fs::path const& file) {
  std::shared_ptr<Tokens> tokens(new Tokens(file));
  tokens->read_ = tokens->version();
  TRY_ASSIGN(tokens->entries_, read_tokens(file));
  if (tokens->entries_.empty())
    return bad_input("bad_token", "it contains no token: a token has at least 16 characters",
                     Place{file.string(), 0, 0, {}});
  return tokens;
}

Result<std::shared_ptr<Tokens>> Tokens::make_own(int port) {
  fs::path file = own_token_file(port);
  if (file.empty())
    return environment_failed(
        "no_token_file",
        "there is no private folder of this user for a token: give one with --token-file, or let "
        "everyone on this machine connect with --no-token");
  TRY_ASSIGN(std::string token, new_token());
  unlink(file.c_str());  // of a server that was killed
  TRY(write_private_file(file, token + "\n"));
  TRY_ASSIGN(std::shared_ptr<Tokens> tokens, read(file));
  tokens->own_ = true;
  return tokens;
}

Tokens::~Tokens() {
  if (own_) unlink(file_.c_str());
}

std::optional<std::string> Tokens::client_of(std::string_view token) {
  std::lock_guard lock(mutex_);
  if (auto now = version(); now != read_) {
    read_ = now;
    // A file that cannot be read lets nobody in: a mistake in it must not keep a revoked one.
    entries_ = read_tokens(file_).value_or(std::vector<TokenEntry>());
  }
  std::optional<std::string> name;
  for (TokenEntry const& entry : entries_)  // all of them, so that the time tells nothing
    if (same_secret(token, entry.token)) name = entry.name;
  return name;
}

fs::path own_token_file(int port) {
  fs::path folder = own_folder();
  return folder.empty() ? fs::path() : folder / ("device-" + std::to_string(port) + ".token");
}

std::string own_token(int port) {
  fs::path file = own_token_file(port);
  if (file.empty() || !is_own(file, S_IFREG)) return {};
  auto text = read_file(file, 4096);
  std::string token;
  if (text) std::istringstream(*text) >> token;
  return token;
}

}  // namespace tw
