#include "engine/device/rpc/process_facts.h"

#include <sys/stat.h>

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

/// The bytes of the open files of memory, each once.
int64_t memory_files(pid_t process, std::set<uint64_t>& seen) {
  int64_t bytes = 0;
  for_each_entry(folder_of(process) / "fd", [&](fs::path const& entry) {
    std::error_code error;
    fs::path target = fs::read_symlink(entry, error);
    struct stat facts {};
    if (error || !target.string().starts_with(kMemoryFile)) return;
    if (stat(entry.c_str(), &facts) != 0 || !seen.insert(facts.st_ino).second) return;
    bytes += int64_t(facts.st_blocks) * 512;
  });
  return bytes;
}

/// Of mappings: "address rights offset device inode path".
std::set<uint64_t> mapped_memory_files(pid_t process) {
  std::set<uint64_t> mapped;
  std::ifstream file(folder_of(process) / "maps");
  for (std::string line; std::getline(file, line);) {
    if (line.find(kMemoryFile) == std::string::npos) continue;
    std::istringstream words(line);
    std::string unused;
    uint64_t inode = 0;
    if (words >> unused >> unused >> unused >> unused >> inode) mapped.insert(inode);
  }
  return mapped;
}

}  // namespace

ProcessFacts facts_of(pid_t process) {
  ProcessFacts facts;
  int64_t shared = 0;
  std::ifstream status(folder_of(process) / "status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t value = 0;
    if (!(words >> name >> value)) continue;
    if (name == "Threads:") facts.threads = int(value);
    if (name == "RssShmem:") shared = value * 1024;
    if (name == "RssAnon:" || name == "VmSwap:" || name == "VmPTE:")
      facts.memory_bytes += value * 1024;
  }
  std::set<uint64_t> open;
  // What is mapped of the files is resident, too: it counts once.
  facts.memory_bytes += std::max(shared, memory_files(process, open));
  facts.hidden = mapped_memory_files(process);
  if (facts.hidden.empty()) return facts;
  memory_files(process, open);  // those that were opened in between
  for (uint64_t inode : open) facts.hidden.erase(inode);
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

}  // namespace tw
