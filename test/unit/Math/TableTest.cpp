//===- TableTest.cpp - The tables of docs/Epilogues.md --------------------===//
//
// Every op that an epilogue admits has a row, no other op has one, and what the
// rows say of NaN, infinity and errors is what the reference values and the
// accuracy tests hold.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "cutl/Dialect/Cutl/IR/CutlDialect.h"
#include "cutl/Dialect/Cutl/IR/CutlInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>
#include <set>

using namespace cutltest;
using namespace mlir;
using namespace mlir::cutl;

namespace {

using Rows = std::map<std::string, std::vector<std::string>>;

/// The section about the results that are rounded; its rows are no other's.
constexpr StringLiteral kNarrowSection = "## Results that are rounded";

/// The rows of the page's tables whose first cell is an op, by that cell: those
/// of one section, or those of all the others.
Rows readRows(bool ofNarrowSection) {
  Rows rows;
  bool isNarrowSection = false;
  auto buffer = llvm::MemoryBuffer::getFile(CUTL_EPILOGUES_PAGE);
  EXPECT_TRUE(bool(buffer)) << CUTL_EPILOGUES_PAGE;
  if (!buffer)
    return rows;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    if (line.starts_with("## "))
      isNarrowSection = line == kNarrowSection;
    if (isNarrowSection != ofNarrowSection || !line.consume_front("| `"))
      continue;
    SmallVector<StringRef> parts;
    line.split(parts, '|');
    std::vector<std::string> cells;
    for (StringRef part : ArrayRef(parts).drop_back())
      cells.push_back(part.trim().str());
    StringRef op =
        StringRef(cells.front()).take_until([](char c) { return c == '`'; });
    EXPECT_TRUE(rows.try_emplace(op.str(), cells).second)
        << "two rows for " << op.str();
  }
  return rows;
}

std::string format(const char *text, double value) {
  char buffer[64];
  snprintf(buffer, sizeof(buffer), text, value);
  return buffer;
}

std::string formatValue(double value) {
  if (std::isnan(value))
    return "NaN";
  if (value == 0.0)
    return std::signbit(value) ? "-0" : "0";
  return format("%g", value);
}

std::string formatBound(const Bound &bound, Lower lower) {
  if (bound.ulp == 0.0 && lower == Lower::None)
    return "exact";
  std::string text = format("%g ulp", bound.ulp);
  if (lower != Lower::None)
    text += "; x < 0: " + format("%g·2^-24", bound.lower) +
            (lower == Lower::TimesOperand ? "·abs(x)" : "");
  if (bound.least != 0.0)
    text += " + " + format("2^%g", std::log2(bound.least));
  return text;
}

std::string formatBound(const NarrowError &bound) {
  std::vector<std::string> terms;
  auto add = [&](double factor, const char *of) {
    if (factor != 0.0)
      terms.push_back(format("2^%g", std::log2(factor)) + of);
  };
  add(bound.relative, "·abs(y)");
  add(bound.ofOperand, "·abs(x)");
  add(bound.absolute, "");
  return llvm::join(terms, " + ");
}

double evaluate(MLIRContext &context, const Case &test, double x) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @f(%x: f32) { " + test.getText() + " return }", &context);
  EpilogueOpInterface op;
  module->walk([&](EpilogueOpInterface found) { op = found; });
  return op.evaluateReference(RefValue{x, 0.0}).value;
}

class EpiloguesPage : public testing::Test {
protected:
  EpiloguesPage() { context.loadDialect<CutlDialect, func::FuncDialect>(); }
  MLIRContext context;
  Rows rows = readRows(/*ofNarrowSection=*/false);
};

} // namespace

TEST_F(EpiloguesPage, HasARowForEveryOpAndNoOther) {
  std::set<std::string> described;
  for (const auto &[op, cells] : rows)
    described.insert(StringRef(op).split(' ').first.str());
  std::set<std::string> admitted;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<EpilogueOpInterface>())
      admitted.insert(name.getStringRef().str());
  for (const std::string &op : admitted)
    EXPECT_TRUE(described.count(op)) << "no row for " << op;
  for (const std::string &op : described)
    EXPECT_TRUE(admitted.count(op)) << op << " is not admitted";
}

TEST_F(EpiloguesPage, SaysWhatTheTestsHold) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const Case &test : getCases()) {
    auto found = rows.find(test.operation);
    ASSERT_TRUE(found != rows.end()) << "no row for " << test.operation;
    std::vector<std::string> want;
    for (double x : {std::nan(""), -kInf, kInf})
      want.push_back(formatValue(evaluate(context, test, x)));
    want.push_back(formatBound(test.gpu, test.lower));
    want.push_back(formatBound(test.cpu, test.lower));
    // After the op and its formula.
    std::vector<std::string> got(found->second);
    got.erase(got.begin(), got.begin() + std::min<size_t>(2, got.size()));
    EXPECT_EQ(llvm::join(got, " | "), llvm::join(want, " | "))
        << test.operation;
  }
}

TEST_F(EpiloguesPage, SaysWhichResultsMayBeRounded) {
  Rows want;
  for (const Case &test : getCases()) {
    // The first cell lacks the quote that was consumed.
    std::vector<std::string> cells = {std::string(test.operation) + "`"};
    for (auto precision : {NarrowPrecision::Coarse, NarrowPrecision::Fine})
      if (auto bound = cutltest::getNarrowError(test, precision))
        cells.push_back(formatBound(*bound));
    if (cells.size() > 1)
      want[test.operation] = cells;
  }
  EXPECT_EQ(readRows(/*ofNarrowSection=*/true), want);
}
