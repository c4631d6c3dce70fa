#include "engine/runtime/package/parameters.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "engine/runtime/package/package_file.h"

namespace tw::package {
namespace {

/// Which file it is, and that it is still what it was. The checksum is the description's.
using Key = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long, uint64_t>;

Key key_of(OpenFile const& file, File const& stated) {
  struct stat info {};
  if (fstat(file.descriptor(), &info) != 0) return {};
  return {info.st_dev,          info.st_ino,         info.st_size,         info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec, stated.checksum};
}

/// What is loaded now.
struct Loaded {
  std::mutex mutex;
  std::map<Key, std::weak_ptr<Parameters const>> all;

  std::shared_ptr<Parameters const> find(Key const& key) {
    std::lock_guard lock(mutex);
    auto found = all.find(key);
    return found == all.end() ? nullptr : found->second.lock();
  }
  /// `mine`, or what another thread was faster to read.
  std::shared_ptr<Parameters const> add(Key const& key, std::shared_ptr<Parameters const> mine) {
    std::lock_guard lock(mutex);
    std::erase_if(all, [](auto const& entry) { return entry.second.expired(); });
    std::weak_ptr<Parameters const>& place = all[key];
    if (auto theirs = place.lock()) return theirs;
    place = mine;
    return mine;
  }
};

Loaded& loaded() {
  static Loaded value;
  return value;
}

}  // namespace

Result<std::shared_ptr<Parameters const>> Parameters::load(std::filesystem::path const& path,
                                                           File const& stated) {
  OpenFile file(path);
  TRY(file.status());
  Key key = key_of(file, stated);
  if (auto known = loaded().find(key)) return known;
  TRY_ASSIGN(std::shared_ptr<Parameters const> mine, read(file, stated));
  return loaded().add(key, std::move(mine));
}

/// Read, not mapped: large pages, and a file that is cut off later harms nobody.
Result<std::shared_ptr<Parameters const>> Parameters::read(OpenFile& file, File const& stated) {
  constexpr int64_t kHugePage = 2 << 20, kPage = 4096, kBehind = 64;  // as all tensors have it
  int64_t page = stated.bytes >= kHugePage ? kHugePage : kPage;
  int64_t most = INT64_MAX - 2 * page;
  size_t mapped = size_t((std::min(stated.bytes, most) + kBehind + page - 1) / page * page);
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return environment_failed(
        "tensor_too_large",
        "there is no memory for the " + std::to_string(stated.bytes) + " bytes of " + stated.name);
  std::shared_ptr<Parameters const> parameters(new Parameters(memory, mapped));
  if (page == kHugePage) madvise(memory, mapped, MADV_HUGEPAGE);
  TRY(read_exactly(file, stated, {static_cast<std::byte*>(memory), size_t(stated.bytes)}));
  mprotect(memory, mapped, PROT_READ);
  return parameters;
}

Parameters::~Parameters() { munmap(data_, mapped_); }

}  // namespace tw::package
