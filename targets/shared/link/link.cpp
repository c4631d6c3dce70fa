#include "targets/shared/link/link.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "lld/Common/Driver.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace tw {
namespace {

/// A descriptor, closed with this value.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close_now(); }
  void close_now() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number() const { return number_; }
  /// By which this process opens it.
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

private:
  int number_;
};

std::unexpected<Error> no_room(char const* what) {
  return environment_failed("link_failed", std::string("there is no ") + what +
                                               " to link a kernel with: " + std::strerror(errno));
}

/// A file in memory alone, which the linker reads.
Result<Descriptor> file_of(std::span<std::byte const> bytes) {
  Descriptor file(::memfd_create("kernel", MFD_CLOEXEC));
  if (file.number() < 0) return no_room("file in memory");
  for (size_t done = 0; done < bytes.size();) {
    ssize_t more = ::write(file.number(), bytes.data() + done, bytes.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return no_room("memory");
    done += size_t(more);
  }
  return file;
}

/// All objects as one archive: a descriptor for each would bound the kernels of a network. The
/// linker ends the process where a member is no object.
Result<Descriptor> archive_of(std::span<std::vector<std::byte> const> objects) {
  std::vector<std::string> names;  // members refer to them
  names.reserve(objects.size());
  std::vector<llvm::NewArchiveMember> members;
  for (std::vector<std::byte> const& object : objects) {
    llvm::StringRef bytes(reinterpret_cast<char const*>(object.data()), object.size());
    if (llvm::identify_magic(bytes) != llvm::file_magic::elf_relocatable)
      return refused("link_failed", "the kernel could not be linked: its code is no ELF object");
    names.push_back("kernel" + std::to_string(names.size()) + ".o");
    members.emplace_back(llvm::MemoryBufferRef(bytes, names.back()));
  }
  auto archive = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab,
                                            llvm::object::Archive::K_GNU, true, false);
  if (!archive)
    return refused("link_failed",
                   "the kernel could not be linked: " + llvm::toString(archive.takeError()));
  return file_of(
      std::as_bytes(std::span((*archive)->getBufferStart(), (*archive)->getBufferSize())));
}

/// The file that the linker writes: a pipe. For a file of a disk it would take signals over
/// (`sys::RemoveFileOnSignal`): Ctrl-C then takes its half-written file away, and it ends the
/// process because of that.
class Output {
public:
  static Result<std::unique_ptr<Output>> create() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return no_room("pipe");
    return std::unique_ptr<Output>(new Output(ends));
  }
  ~Output() { writing_.close_now(); }  // then the reader ends
  std::string path() const { return writing_.path(); }
  /// All that was written, when nobody writes any more.
  std::vector<std::byte> take() {
    writing_.close_now();
    reader_.join();
    return std::move(bytes_);
  }

private:
  explicit Output(int const (&ends)[2])
      : reading_(ends[0]), writing_(ends[1]), reader_([this] { read(); }) {}
  void read() {
    std::byte part[1 << 16];
    while (true) {
      ssize_t more = ::read(reading_.number(), part, sizeof part);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return;
      bytes_.insert(bytes_.end(), part, part + more);
    }
  }
  Descriptor reading_;
  std::vector<std::byte> bytes_;
  Descriptor writing_;
  std::jthread reader_;
};

/// The words after `marker` in each line of the linker's messages, once each, comma-separated.
/// Without those in `known`.
std::string names_after(std::string const& messages, std::string const& marker,
                        std::vector<std::string> const& known = {}) {
  std::string names;
  size_t at = 0;
  while ((at = messages.find(marker, at)) != std::string::npos) {
    at += marker.size();
    std::string word = messages.substr(at, messages.find('\n', at) - at);
    if (std::ranges::find(known, word) != known.end()) continue;
    std::string name = "'" + word + "'";
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::unexpected<Error> explain(std::string const& messages, std::vector<std::string> const& known) {
  std::string missing = names_after(messages, "undefined symbol: ", known);
  if (!missing.empty()) {
    return refused("undefined_symbol", "the kernel library needs " + missing +
                                           ", which nothing defines: a kernel may call nothing "
                                           "but the table it is given");
  }
  std::string twice = names_after(messages, "duplicate symbol: ");
  if (!twice.empty()) {
    return refused("duplicate_symbol", "the kernel library defines " + twice + " more than once");
  }
  return refused("link_failed",
                 "the kernel could not be linked: " + messages.substr(0, messages.find('\n')));
}

/// Runs the linker; what it says is empty when it succeeded.
Status run_linker(std::vector<std::string> const& arguments,
                  std::vector<std::string> const& known) {
  // lld keeps its state in globals: two links at once crash.
  static std::mutex one_at_a_time;
  static bool broken = false;
  std::lock_guard lock(one_at_a_time);
  if (broken) {
    return environment_failed("link_failed",
                              "the linker failed earlier in this process and cannot be used again");
  }
  std::vector<char const*> raw;
  for (std::string const& argument : arguments) raw.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(raw, stream, stream, {{lld::Gnu, &lld::elf::link}});
  broken = !result.canRunAgain;
  // With known names, others that nothing defines are warnings of the linker's.
  bool lacks = !known.empty() && !names_after(stream.str(), "undefined symbol: ", known).empty();
  if (result.retCode != 0 || lacks) return explain(stream.str(), known);
  return {};
}

}  // namespace

Result<std::vector<std::byte>> link_shared_library(std::span<std::vector<std::byte> const> objects,
                                                   LinkOptions const& options) {
  if (objects.empty()) return refused("link_failed", "there is nothing to link");
  TRY_ASSIGN(std::unique_ptr<Output> output, Output::create());
  // -z now: a name that is missing must fail here, not at the first call on a device.
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--no-undefined",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack",
                                        "--hash-style=gnu",
                                        "--strip-debug",
                                        "--build-id=none",
                                        "--threads=1",
                                        "--color-diagnostics=never",
                                        "-o",
                                        output->path()};
  if (!options.of_the_loader.empty()) arguments.push_back("--warn-unresolved-symbols");
  TRY_ASSIGN(Descriptor archive, archive_of(objects));  // open while the linker runs
  arguments.push_back("--whole-archive");
  arguments.push_back(archive.path());
  TRY(run_linker(arguments, options.of_the_loader));
  return output->take();
}

}  // namespace tw
