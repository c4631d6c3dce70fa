#include "engine/device/rpc/process_facts.h"

#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace tw {
namespace fs = std::filesystem;
namespace {

constexpr char kMemoryFile[] = "/memfd:";

fs::path folder_of(pid_t process) { return fs::path("/proc") / std::to_string(process); }

/// Of a folder whose process may end meanwhile: the iterator's ++ would throw.
void for_each_entry(fs::path const& folder, std::function<void(fs::path const&)> const& f) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    f(entry->path());
}

/// What is there of a process' file; an iterator of the stream's buffer would throw where it ends.
std::string content_of(fs::path const& file) {
  std::ifstream stream(file);
  std::string content;
  std::getline(stream, content, '\0');
  return content;
}

/// The threads of a process, by their folders below /proc. Its own says nothing of it any more once
/// its first thread has ended, whatever the others do.
std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  for_each_entry(folder_of(process) / "task", [&](fs::path const& entry) {
    threads.push_back(pid_t(std::strtol(entry.filename().c_str(), nullptr, 10)));
  });
  return threads;
}

fs::path folder_of(pid_t process, pid_t thread) {
  return folder_of(process) / "task" / std::to_string(thread);
}

/// False also where the system does not say.
bool same_open_files(pid_t one, pid_t other) {
  return syscall(SYS_kcmp, one, other, KCMP_FILES, 0, 0) == 0;
}

/// The bytes of the open files of memory of one table, each once.
int64_t memory_files_in(fs::path const& table, std::set<uint64_t>& seen) {
  int64_t bytes = 0;
  for_each_entry(table, [&](fs::path const& entry) {
    std::error_code error;
    fs::path target = fs::read_symlink(entry, error);
    struct stat facts {};
    if (error || !target.string().starts_with(kMemoryFile)) return;
    if (stat(entry.c_str(), &facts) != 0 || !seen.insert(facts.st_ino).second) return;
    bytes += int64_t(facts.st_blocks) * 512;
  });
  return bytes;
}

/// Of all threads: one may have a table of its own.
int64_t memory_files(pid_t process, std::vector<pid_t> const& threads, std::set<uint64_t>& seen) {
  int64_t bytes = 0;
  std::vector<pid_t> tables;
  for (pid_t thread : threads) {
    if (std::ranges::any_of(tables, [&](pid_t other) { return same_open_files(other, thread); }))
      continue;
    tables.push_back(thread);
    bytes += memory_files_in(folder_of(process, thread) / "fd", seen);
  }
  return bytes;
}

/// Of mappings: "address rights offset device inode path".
std::set<uint64_t> mapped_memory_files(fs::path const& thread) {
  std::set<uint64_t> mapped;
  std::ifstream file(thread / "maps");
  for (std::string line; std::getline(file, line);) {
    if (line.find(kMemoryFile) == std::string::npos) continue;
    std::istringstream words(line);
    std::string unused;
    uint64_t inode = 0;
    if (words >> unused >> unused >> unused >> unused >> inode) mapped.insert(inode);
  }
  return mapped;
}

/// What a thread's status says of its process.
struct ThreadStatus {
  int threads = 0;
  int64_t own_bytes = 0, shared_bytes = 0;
  bool has_memory = false;  ///< false: this thread has ended
};

ThreadStatus status_of(fs::path const& thread) {
  ThreadStatus status;
  std::ifstream file(thread / "status");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t value = 0;
    if (!(words >> name >> value)) continue;
    if (name == "Threads:") status.threads = int(value);
    if (name == "RssShmem:") status.shared_bytes = value * 1024;
    if (name == "RssAnon:" || name == "VmSwap:" || name == "VmPTE:")
      status.own_bytes += value * 1024, status.has_memory = true;
  }
  return status;
}

}  // namespace

ProcessFacts facts_of(pid_t process) {
  ProcessFacts facts;
  std::vector<pid_t> threads = threads_of(process);
  for (pid_t thread : threads) {  // they share their memory: the first one that goes on will do
    ThreadStatus status = status_of(folder_of(process, thread));
    facts.threads = std::max(facts.threads, status.threads);
    if (!status.has_memory) continue;
    std::set<uint64_t> open;
    // What is mapped of the files is resident, too: it counts once.
    facts.memory_bytes =
        status.own_bytes + std::max(status.shared_bytes, memory_files(process, threads, open));
    facts.hidden = mapped_memory_files(folder_of(process, thread));
    if (facts.hidden.empty()) return facts;
    memory_files(process, threads, open);  // those that were opened in between
    for (uint64_t inode : open) facts.hidden.erase(inode);
    return facts;
  }
  return facts;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  for_each_entry("/proc", [&](fs::path const& entry) {
    std::string name = entry.filename().string();
    pid_t process = 0, parent = 0;
    auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (bad != std::errc() || *end != 0) return;
    std::string text = content_of(entry / "stat"), state;
    size_t after_name = text.rfind(')');  // a name may hold anything
    if (after_name == std::string::npos) return;
    std::istringstream words(text.substr(after_name + 1));
    if (words >> state >> parent) children.emplace(parent, process);
  });
  return children;
}

std::vector<pid_t> family_of(pid_t process, std::multimap<pid_t, pid_t> const& children) {
  std::vector<pid_t> family{process};
  for (size_t i = 0; i < family.size(); ++i) {
    auto [first, last] = children.equal_range(family[i]);
    for (auto child = first; child != last; ++child) family.push_back(child->second);
  }
  return family;
}

double processor_seconds(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

double family_seconds(pid_t process) {
  double seconds = 0;
  for (pid_t one : family_of(process, children_by_parent())) seconds += processor_seconds(one);
  return seconds;
}

}  // namespace tw
