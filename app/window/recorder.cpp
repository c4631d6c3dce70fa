// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/recorder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "engine/support/files.h"

namespace tw {
namespace {

constexpr size_t kMostLines = 20'000;
constexpr size_t kMostJournals = 10;

/// Names begin with the time, so that their order is their age.
void remove_old_journals(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (auto const& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".journal") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  for (size_t i = 0; i + kMostJournals <= found.size(); ++i)
    std::filesystem::remove(found[i], ignored);
}

Error unwritable(std::filesystem::path const& file) {
  return {"file_unwritable", fmt::format("cannot be written: {}", std::strerror(errno)),
          Place{file.string(), 0, 0, {}}, Fault::kEnvironment};
}

}  // namespace

Recorder::Recorder(std::filesystem::path folder) : folder_(std::move(folder)) {}

Recorder::~Recorder() { flush_pending(); }

void Recorder::write_line(std::unique_ptr<std::FILE, Close>& file,
                          std::filesystem::path const& path, std::string const& line) {
  if (!file) return;
  std::fwrite(line.data(), 1, line.size(), file.get());
  std::fputc('\n', file.get());
  if (std::fflush(file.get()) == 0 && std::ferror(file.get()) == 0) return;
  if (!failure_) failure_ = unwritable(path);
  file.reset();
}

/// With the first line, so that a window in which nothing was done leaves nothing behind.
void Recorder::open_own() {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  remove_old_journals(folder_);
  std::time_t now = std::time(nullptr);
  std::string name = fmt::format("{:%Y-%m-%d_%H%M%S}_{}", fmt::localtime(now), getpid());
  for (int i = 0; i < 100 && !own_; ++i) {  // without it nothing is kept
    own_path_ = folder_ / fmt::format("{}{}.journal", name, i == 0 ? "" : fmt::format("_{}", i));
    own_.reset(std::fopen(own_path_.c_str(), "wxe"));
  }
  write_line(own_, own_path_, journal::kHeader);
}

void Recorder::take(std::string line) {
  if (!own_ && own_path_.empty()) open_own();
  write_line(own_, own_path_, line);
  write_line(copy_, copy_path_, line);
  lines_.push_back(std::move(line));
  if (lines_.size() > kMostLines) drop_half();
}

void Recorder::drop_half() {
  dropped_ += kMostLines / 2;
  lines_.erase(lines_.begin(), lines_.begin() + kMostLines / 2);
  if (!own_ || !write_file(own_path_, text())) return;
  own_.reset(std::fopen(own_path_.c_str(), "ae"));
}

void Recorder::flush_pending() {
  if (!pending_) return;
  std::string line = journal::to_text(*pending_);
  pending_.reset();
  take(std::move(line));
}

void Recorder::add(journal::Action const& action) {
  if (pending_ && journal::replaces(action, *pending_)) {
    pending_ = action;
    return;
  }
  flush_pending();
  if (journal::replaces(action, action))
    pending_ = action;
  else
    take(journal::to_text(action));
}

void Recorder::add(journal::Expect const& expect) {
  flush_pending();
  take(journal::to_text(expect));
}

std::string Recorder::text() const {
  std::string text = std::string(journal::kHeader) + "\n";
  if (dropped_ > 0) text += fmt::format("# {} earlier lines are not kept\n", dropped_);
  for (std::string const& line : lines_) text += line + "\n";
  if (pending_) text += journal::to_text(*pending_) + "\n";
  return text;
}

Status Recorder::record_to(std::filesystem::path const& file) {
  flush_pending();
  if (file.has_parent_path()) TRY(make_folder(file.parent_path()));
  copy_.reset(std::fopen(file.c_str(), "we"));
  if (!copy_) return std::unexpected(unwritable(file));
  copy_path_ = file;
  std::string before = text();
  before.pop_back();  // a line brings its own end
  write_line(copy_, copy_path_, before);
  return written();
}

Status Recorder::written() const {
  if (failure_) return std::unexpected(*failure_);
  return {};
}

Status Recorder::finish() {
  flush_pending();
  return written();
}

}  // namespace tw
