#include "engine/device/rpc/token_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "engine/support/files.h"

namespace tw {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kMostBytes = 1 << 20;
constexpr size_t kLeastLetters = 16;

bool is_name(std::string const& name) {
  return name.size() <= 40 && std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '_' || c == '-';
         });
}

std::unexpected<Error> bad_name(fs::path const& file, int line) {
  return bad_input("bad_token",
                   "the name of a client has at most 40 letters, digits, '.', '_' and '-'",
                   Place{file.string(), line, 0, {}});
}

Result<std::vector<TokenEntry>> parse(std::string const& text, fs::path const& file) {
  std::vector<TokenEntry> entries;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    TokenEntry entry{.line = number};
    if (!(words >> entry.token) || entry.token.starts_with('#')) continue;
    words >> entry.name;
    if (entry.token.size() < kLeastLetters)
      return bad_input("bad_token", "a token has at least 16 characters",
                       Place{file.string(), number, 0, {}});
    if (!is_name(entry.name)) return bad_name(file, number);
    if (entry.name.empty()) entry.name = "token-" + std::to_string(entries.size() + 1);
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Without the lines of these entries.
std::string without(std::string const& text, std::vector<TokenEntry> const& gone) {
  std::istringstream lines(text);
  std::string left;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::ranges::find(gone, number, &TokenEntry::line) == gone.end()) left += line + "\n";
  }
  return left;
}

}  // namespace

Result<std::vector<TokenEntry>> read_tokens(fs::path const& file) {
  TRY_ASSIGN(std::string text, read_file(file, kMostBytes));
  return parse(text, file);
}

Result<std::string> add_token(fs::path const& file, std::string const& name) {
  if (!is_name(name)) return bad_name({}, 0);
  std::error_code ignored;
  std::string text;
  if (fs::exists(file, ignored)) {
    TRY_ASSIGN(text, read_file(file, kMostBytes));
  }
  TRY_ASSIGN(std::vector<TokenEntry> entries, parse(text, file));
  auto same = std::ranges::find(entries, name, &TokenEntry::name);
  if (same != entries.end())
    return bad_input("bad_token", "'" + name + "' has a token already: revoke it to make a new one",
                     Place{file.string(), same->line, 0, {}});
  TRY_ASSIGN(std::string token, new_token());
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += name.empty() ? token + "\n" : token + " " + name + "\n";
  TRY(write_private_file(file, text));
  return token;
}

Result<int> revoke_token(fs::path const& file, std::string const& name) {
  TRY_ASSIGN(std::string text, read_file(file, kMostBytes));
  TRY_ASSIGN(std::vector<TokenEntry> entries, parse(text, file));
  std::vector<TokenEntry> gone;
  std::ranges::copy_if(entries, std::back_inserter(gone),
                       [&](TokenEntry const& entry) { return entry.name == name; });
  if (gone.empty()) {
    std::string names;
    for (TokenEntry const& entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
    return bad_input("unknown_token",
                     "has no token for the client '" + name +
                         "'; there are: " + (names.empty() ? "none" : names),
                     Place{file.string(), 0, 0, {}});
  }
  TRY(write_file(file, without(text, gone)));
  return int(entries.size() - gone.size());
}

std::string open_to_others(fs::path const& file) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0 || (facts.st_mode & (S_IRGRP | S_IROTH)) == 0) return {};
  return "other users can read the token file " + file.string() + ": chmod 600 " + file.string();
}

Status write_private_file(fs::path const& file, std::string const& text) {
  if (file.has_parent_path()) TRY(make_folder(file.parent_path()));
  // Whoever is to replace it finds its mode.
  int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made >= 0) close(made);
  Status written = write_file(file, text);
  if (!written && made >= 0) unlink(file.c_str());
  return written;
}

Result<std::string> new_token() {
  unsigned char bytes[32];
  if (getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes))
    return environment_failed("no_random", "the system provides no random bytes for a token");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace tw
