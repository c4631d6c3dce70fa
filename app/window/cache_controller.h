// SPDX-License-Identifier: GPL-3.0-or-later
/// What is kept on the disk to be faster: counted, limited and emptied off the window's thread.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <functional>

#include "app/shared/cache_files.h"

namespace tw {

class CacheController : public QObject {
  Q_OBJECT
public:
  /// `folder`: of this process; another one that is chosen is the next start's.
  explicit CacheController(std::filesystem::path folder, QObject* parent = nullptr);
  ~CacheController() override;
  std::filesystem::path const& folder() const { return folder_; }
  /// "312 MB: ..., freed 40 MB"; "being counted" before it is known.
  QString const& words() const { return words_; }
  void count();
  void empty();
  void limit(int64_t bytes);

signals:
  void counted();

private:
  /// `work` on the thread, then the size, behind what it said.
  void run(std::function<QString(std::filesystem::path const&)> work);

  std::filesystem::path folder_;
  QString words_ = "being counted";
  QThreadPool pool_;
};

}  // namespace tw
