//===- CutlConvertOp.td - Conversion of scalars --------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLCONVERTOP_TD
#define CUTL_DIALECT_CUTL_IR_CUTLCONVERTOP_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "cutl/Dialect/Cutl/IR/CutlEnums.td"
include "cutl/Dialect/Cutl/IR/CutlInterfaces.td"

def Cutl_ConvertOp : Cutl_Op<"convert", "0.1", "epilogue", [
    Pure, DeclareOpInterfaceMethods<Cutl_EpilogueOpInterface, ["expandToArith"]>]> {
  let summary = "conversion with stated rounding and saturation";
  let description = [{
    Converts between the floats f8E4M3FN, f8E5M2, f16, bf16, f32 and f64, and between them and integers of 8, 16, 32 or
    64 bits, rounding once. `unsigned` says that the integer of the conversion is read or written as an unsigned one.

    * **Float to float.** Rounds to the nearest, ties to even. With `saturate` what is beyond the range becomes the
      greatest finite number of its sign, infinity too; without it, infinity, or NaN in f8E4M3FN, which has no infinity.
      NaN gives NaN either way. `saturate` is an error where nothing can overflow.
    * **Float to integer.** Rounds by `to_nearest_even` (the default), `toward_zero`, `downward` or `upward`, and always
      saturates, which has to be written: what is beyond the range of the integer, infinity too, becomes its nearest
      end. NaN gives 0. (`arith.fptosi` and `arith.fptoui` leave both undefined.)
    * **Integer to float.** Rounds to the nearest, ties to even, where the float does not hold the integer. With
      `saturate` what is beyond the range becomes the greatest finite number of its sign; without it, infinity, or NaN
      in f8E4M3FN. `saturate` is an error where nothing can overflow.

    Integers are converted to each other by `arith.extsi`, `arith.extui` and `arith.trunci`, and the other roundings
    between floats by `arith.truncf`. Error: half an ulp of the result, or what the rounding to an integer says.

    ```mlir
    %q = cutl.convert %x saturate : f32 to i8
    %r = cutl.convert %x toward_zero saturate unsigned : f32 to i8
    %s = cutl.convert %x saturate : f32 to f8E4M3FN
    %t = cutl.convert %q : i8 to f32
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$x,
    DefaultValuedAttr<Cutl_RoundingAttr, "::mlir::cutl::Rounding::ToNearestEven">:$rounding,
    UnitAttr:$saturate,
    UnitAttr:$is_unsigned);
  let results = (outs AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$y);
  let assemblyFormat = [{
    $x `` custom<Rounding>($rounding) (`saturate` $saturate^)? (`unsigned` $is_unsigned^)? attr-dict
    `:` type($x) `to` type($y)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLCONVERTOP_TD
