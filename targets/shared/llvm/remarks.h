/// What LLVM's passes say of what they did and did not do.
#pragma once

#include <llvm/IR/LLVMContext.h>

#include <memory>
#include <vector>

#include "engine/support/base/error.h"
#include "engine/target/code_report.h"

namespace tw {

/// Listens to a context while it lives. Takes complaints, too, without which LLVM ends the process.
class RemarkListener {
public:
  explicit RemarkListener(llvm::LLVMContext& context);
  ~RemarkListener();
  RemarkListener(RemarkListener const&) = delete;
  RemarkListener& operator=(RemarkListener const&) = delete;

  Status status() const;
  /// Each once, in the order of lines; those of no line come last.
  std::vector<CodeRemark> remarks() const;

private:
  struct Heard;
  llvm::LLVMContext& context_;
  std::shared_ptr<Heard> heard_;
};

}  // namespace tw
