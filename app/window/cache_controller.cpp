// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/cache_controller.h"

#include <QMetaObject>

namespace tw {

CacheController::CacheController(std::filesystem::path folder, QObject* parent)
    : QObject(parent), folder_(std::move(folder)) {
  pool_.setMaxThreadCount(1);  // one after the other: what is counted is what is left
}

CacheController::~CacheController() { pool_.waitForDone(); }

void CacheController::run(std::function<QString(std::filesystem::path const&)> work) {
  pool_.start([this, work = std::move(work), folder = folder_] {
    QString done = work(folder);
    QString size = QString::fromStdString(to_words(content_of_cache(folder)));
    QString words = done.isEmpty() ? size : done + ". Now: " + size;
    QMetaObject::invokeMethod(this, [this, words] {
      words_ = words;
      emit counted();
    });
  });
}

void CacheController::count() {
  run([](auto const&) { return QString(); });
}

void CacheController::empty() {
  run([](auto const& folder) {
    QString words = QString::fromStdString(to_words(empty_cache(folder)));
    return words.left(1).toUpper() + words.mid(1);
  });
}

void CacheController::limit(int64_t bytes) {
  run([bytes](auto const& folder) {
    Status limited = limit_cache(folder, bytes);
    return limited ? QString() : QString::fromStdString(to_sentence(limited.error()));
  });
}

}  // namespace tw
