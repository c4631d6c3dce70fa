#include "targets/vta/compiler/listings.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/vta/hardware/assembly.h"

namespace tw::vta {
namespace {

constexpr uint64_t kPage = 4096;

uint64_t pages(int64_t bytes) { return (uint64_t(bytes) + kPage - 1) / kPage * kPage; }

}  // namespace

Addresses sample_addresses(CallProgram const& program) {
  Addresses addresses;
  uint64_t next = kPage;  // address 0 is nothing
  for (CallTensor const& tensor : program.tensors) {
    addresses.tensors.push_back(next);
    next += pages(tensor.bytes);
  }
  addresses.uops = next;
  return addresses;
}

int64_t sample_memory(CallProgram const& program, int64_t uops) {
  return int64_t(sample_addresses(program).uops) + uops * program.configuration.uop_bytes();
}

CodeListing calls_listing(CallProgram const& program, std::string key) {
  CodeListing listing{std::move(key), to_text(program), {}};
  // Calls stand last, a line each.
  size_t lines = size_t(std::ranges::count(listing.text, '\n'));
  listing.source_line.resize(lines);
  for (size_t i = 0; i < program.calls.size() && i < lines; ++i)
    listing.source_line[lines - program.calls.size() + i] = program.calls[i].line;
  return listing;
}

namespace {

/// A text of lines, each with the line of the kernel that it is of.
void add_line(CodeListing& listing, std::string const& line, int32_t source = 0) {
  listing.text += line + "\n";
  listing.source_line.push_back(source);
}

}  // namespace

Result<StreamListing> instructions_listing(CallProgram const& program, std::string key) {
  Addresses addresses = sample_addresses(program);
  TRY_ASSIGN(std::vector<Batch> batches, make_batches(program, addresses));
  uint64_t first_uop = addresses.uops / uint64_t(program.configuration.uop_bytes());
  StreamListing made{{std::move(key), {}, {}}, 0};
  CodeListing& listing = made.listing;
  for (size_t run = 0; run < batches.size(); ++run) {
    Batch const& batch = batches[run];
    if (batches.size() > 1)
      add_line(listing, fmt::format("# run {} of {}, each a stream", run + 1, batches.size()));
    add_line(listing, kAssemblyHead);
    add_line(listing, configuration_line(program.configuration));
    for (size_t i = 0; i < batch.stream.size(); ++i) {
      int32_t call = batch.call_of[i];
      add_line(listing, fmt::format("{:>5}  {}", i, to_line(batch.stream[i])),
               call < 0 ? 0 : program.calls[size_t(call)].line);
    }
    for (size_t i = 0; i < batch.uops.size(); ++i)
      add_line(listing, to_line(first_uop + i, batch.uops[i]));
    made.instructions += int64_t(batch.stream.size());
  }
  return made;
}

}  // namespace tw::vta
