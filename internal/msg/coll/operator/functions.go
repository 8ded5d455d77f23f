package operator

// table has the function of each operator for a type of elements; nil: it has no meaning.
type table [Codes]func(inout, in []byte)

// functions returns the size of an element, and the operators for it.
func functions(element Element) (size int, all table) {
	switch element {
	case Bool:
		all[LAnd], all[LOr], all[LXor] = andBytes, orBytes, xorBytes
		return 1, all
	case Int8:
		return ofIntegers[int8](1)
	case Int16:
		return ofIntegers[int16](2)
	case Int32:
		return ofIntegers[int32](4)
	case Int64:
		return ofIntegers[int64](8)
	case Uint8:
		return ofIntegers[uint8](1)
	case Uint16:
		return ofIntegers[uint16](2)
	case Uint32:
		return ofIntegers[uint32](4)
	case Uint64:
		return ofIntegers[uint64](8)
	case Float32:
		return ofReals[float32](4)
	case Float64:
		return ofReals[float64](8)
	case Complex64:
		return ofNumbers[complex64](8)
	case Complex128:
		return ofNumbers[complex128](16)
	case Extended, ComplexExtended, PairExtended:
		return longDouble.ofLongs(element)
	case Int128:
		return ofWide()
	case Quad, ComplexQuad:
		return quadFormat.ofLongs(element)
	}
	return functionsOfPairs(element)
}

func functionsOfPairs(element Element) (size int, all table) {
	switch element {
	case LocInt8:
		return ofPairs[int8, int](16)
	case LocInt16:
		return ofPairs[int16, int](16)
	case LocInt32:
		return ofPairs[int32, int](16)
	case LocInt64:
		return ofPairs[int64, int](16)
	case LocUint8:
		return ofPairs[uint8, int](16)
	case LocUint16:
		return ofPairs[uint16, int](16)
	case LocUint32:
		return ofPairs[uint32, int](16)
	case LocUint64:
		return ofPairs[uint64, int](16)
	case LocFloat32:
		return ofPairs[float32, int](16)
	case LocFloat64:
		return ofPairs[float64, int](16)
	case PairInt16:
		return ofPairs[int16, int32](8)
	case PairInt32:
		return ofPairs[int32, int32](8)
	case PairInt64:
		return ofPairs[int64, int32](16)
	case PairFloat32:
		return ofPairs[float32, int32](8)
	case PairFloat64:
		return ofPairs[float64, int32](16)
	case TwoFloat32:
		return ofPairs[float32, float32](8)
	case TwoFloat64:
		return ofPairs[float64, float64](16)
	}
	return 0, all
}

func ofNumbers[T number](size int) (int, table) {
	var all table
	all[Sum], all[Prod] = sum[T], product[T]
	return size, all
}

func ofReals[T real](size int) (int, table) {
	_, all := ofNumbers[T](size)
	all[Min], all[Max] = minimum[T], maximum[T]
	all[LAnd], all[LOr], all[LXor] = logicalAnd[T], logicalOr[T], logicalXor[T]
	return size, all
}

func ofIntegers[T integer](size int) (int, table) {
	_, all := ofReals[T](size)
	all[BAnd], all[BOr], all[BXor] = andBytes, orBytes, xorBytes
	return size, all
}

func ofPairs[V, I real](size int) (int, table) {
	var all table
	all[MinLoc], all[MaxLoc] = minLocation[V, I], maxLocation[V, I]
	return size, all
}
