#include "targets/shared/llvm/remarks.h"

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <climits>
#include <set>

namespace tw {

struct RemarkListener::Heard {
  std::vector<CodeRemark> remarks;
  std::string complaints;
};

namespace {

/// These count instructions, or say where values went: of no use to who shapes loops.
bool is_told(llvm::StringRef pass) {
  static std::set<std::string> const kLeftOut{"asm-printer",
                                              "size-info",
                                              "annotation-remarks",
                                              "gisel-irtranslator",
                                              "inline",
                                              "stack-frame-layout",
                                              "prologepilog",
                                              "machine-outliner",
                                              "gvn",
                                              "sdagisel"};
  return !kLeftOut.contains(pass.str());
}

CodeRemark::Kind kind_of(llvm::DiagnosticInfoOptimizationBase const& said) {
  if (said.isPassed()) return CodeRemark::Kind::kDone;
  return said.isMissed() ? CodeRemark::Kind::kMissed : CodeRemark::Kind::kReason;
}

class Handler final : public llvm::DiagnosticHandler {
public:
  explicit Handler(std::shared_ptr<void> keep, std::vector<CodeRemark>& remarks,
                   std::string& complaints)
      : keep_(std::move(keep)), remarks_(remarks), complaints_(complaints) {}

  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override { return is_told(pass); }
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override { return is_told(pass); }
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override { return is_told(pass); }
  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(llvm::DiagnosticInfo const& info) override {
    if (auto const* said = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info)) {
      if (said->isEnabled() && is_told(said->getPassName())) take(*said);
    } else if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(complaints_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

private:
  void take(llvm::DiagnosticInfoOptimizationBase const& said) {
    int32_t line = said.isLocationAvailable() ? int32_t(said.getLocation().getLine()) : 0;
    remarks_.push_back({kind_of(said), said.getPassName().str(), line, said.getMsg()});
  }

  std::shared_ptr<void> keep_;
  std::vector<CodeRemark>& remarks_;
  std::string& complaints_;
};

}  // namespace

RemarkListener::RemarkListener(llvm::LLVMContext& context)
    : context_(context), heard_(std::make_shared<Heard>()) {
  context_.setDiagnosticHandler(
      std::make_unique<Handler>(heard_, heard_->remarks, heard_->complaints));
}

RemarkListener::~RemarkListener() {
  context_.setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
}

Status RemarkListener::status() const {
  if (heard_->complaints.empty()) return {};
  return refused("code_generation_failed", "LLVM cannot compile the kernel: " + heard_->complaints);
}

std::vector<CodeRemark> RemarkListener::remarks() const {
  std::vector<CodeRemark> each;
  for (CodeRemark const& remark : heard_->remarks)
    if (std::ranges::find(each, remark) == each.end()) each.push_back(remark);
  auto place = [](CodeRemark const& remark) { return remark.line > 0 ? remark.line : INT_MAX; };
  std::ranges::stable_sort(each, {}, place);
  return each;
}

}  // namespace tw
