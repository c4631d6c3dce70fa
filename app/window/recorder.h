// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes down what is done in the window, line by line, so that it can be replayed: also after a
/// crash, since every line is in the file before it is carried out.
#pragma once

#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/shared/journal/journal.h"

namespace tw {

class Recorder {
public:
  /// Journals lie in `folder`, one for each start; the newest ten are kept.
  explicit Recorder(std::filesystem::path folder);
  ~Recorder();

  void add(journal::Action const& action);
  void add(journal::Expect const& expect);
  /// Also writes to this file from now on, with what was recorded before. Errors: file_unwritable.
  Status record_to(std::filesystem::path const& file);
  /// Whether all of it is in its files so far. After an error (file_unwritable: the disk is full)
  /// that file is left alone, and the lines are still in `text`.
  Status written() const;
  /// The same, with the line that might still have been replaced.
  Status finish();
  /// The journal so far; its beginning is missing after very many lines, which a comment says.
  std::string text() const;
  /// The number of lines so far.
  size_t size() const { return lines_.size() + (pending_ ? 1 : 0) + dropped_; }

private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void take(std::string line);
  void flush_pending();
  void open_own();
  void drop_half();
  void write_line(std::unique_ptr<std::FILE, Close>& file, std::filesystem::path const& path,
                  std::string const& line);

  std::filesystem::path folder_, own_path_, copy_path_;
  std::unique_ptr<std::FILE, Close> own_, copy_;
  std::deque<std::string> lines_;
  std::optional<journal::Action> pending_;  ///< may still be replaced by the next one
  size_t dropped_ = 0;
  std::optional<Error> failure_;  ///< the first one
};

}  // namespace tw
